import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { linksReading } from '../../engine/links/links-reading.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { readSpaceLinks } from './read-space-links.ts';

export const listSpaceLinks: Handler<typeof content.listSpaceLinks, ContentEnvironment> = ({ query }, context) =>
  readSpaceLinks(linksReading(context), query);
