import { connect } from '@octavo/db';
import { settleEvent, takeEvent } from '@octavo/runtime';
import type { EventMessage } from '@octavo/schema';
import { eventData } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { indexChangedPages } from './index-changed-pages.ts';

/** Keeps search true to the live content: one event names up to 25 pages of one revision. */
export async function handleContentChanged(message: EventMessage, env: ContentEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const event = await takeEvent(db, message.id);
  if (event === undefined) return;
  const { pages } = eventData['content.changed'].parse(event.data);
  await indexChangedPages(db, event.space ?? '', { pages, settle: [settleEvent(db, event.id)] });
}
