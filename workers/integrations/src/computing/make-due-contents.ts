import { connect } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { describe, log, urlsOf } from '@octavo/runtime';
import { integratedBy, newId } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { without } from '../scripts/kept-event.ts';
import { recordFault } from '../scripts/record-run.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';
import { readTarget } from '../scripts/script-target.ts';
import { ComputeFault } from './answered-pages.ts';
import { readState } from './content-state.ts';
import type { TakenContent } from './due-content.ts';
import { dueInTurns, takeContent } from './due-content.ts';
import type { KeepContext } from './keep-content.ts';
import { dropContent, keepFault, keepPages } from './keep-content.ts';
import { makeContent } from './make-content.ts';

/** Nothing is begun after this time, and so many are under way at once. */
const runMilliseconds = 30_000;
const maxAtOnce = 4;

/** What the log of an integration tells a fault of. */
const eventOf = ({ space, page, source }: TakenContent, installationId: string) => ({
  ...{ eventId: newId('event'), type: 'content_compute_revision', installationId, spaceId: space, pageId: page },
  sourceId: integratedBy(source)?.source ?? '',
});

const notInstalled = 'No active installation of the integration on the space has this content source.';
const notShown = 'Others of the computed pages of the space come before it: pages are made of 50.';

async function makeTaken(context: KeepContext, content: TakenContent): Promise<void> {
  const { env, db } = context;
  const { space, integration } = content;
  const { isLive, isShown, installation, dependencies } = await readState(db, content);
  if (!isLive) return dropContent(context, content, { why: null });
  if (!isShown) return dropContent(context, content, { why: notShown });
  const target = installation === null ? undefined : await readTarget(db, { integration, installation, space });
  if (target === undefined || installation === null) return dropContent(context, content, { why: notInstalled });
  const scriptContext = { env, db, urls: urlsOf(env) };
  try {
    const making = { content, target, installation, dependencies };
    await keepPages(context, content, await makeContent(scriptContext, making));
  } catch (error) {
    if (!(error instanceof ComputeFault)) throw error;
    if (error.isLogged) return keepFault(context, content, error.message);
    const { hidden } = await scriptEnvironment(scriptContext, target);
    const told = without(error.message, hidden);
    await keepFault(context, content, told);
    await recordFault(db, target, eventOf(content, installation), told);
  }
}

/** Has integrations make the pages of computed ones that are due, in turns by organization, for as long as a run may take. */
export async function makeDueContents(env: IntegrationsEnvironment, background: Background): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const until = Date.now() + runMilliseconds;
  for (let due = await dueInTurns(db); due.length > 0 && Date.now() < until; due = await dueInTurns(db)) {
    const makeNext = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined && Date.now() < until; next = due.shift()) {
        const content = await takeContent(db, next);
        if (content === undefined) continue;
        await makeTaken({ env, db, background }, content).catch((error: unknown) =>
          log('error', 'computed content not made', { cause: describe(error) }),
        );
      }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, makeNext));
  }
}
