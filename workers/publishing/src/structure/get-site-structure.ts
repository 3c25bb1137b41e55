import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { presentStructure } from './present-structure.ts';
import { viewStructure } from './view-structure.ts';

export const getSiteStructure: Handler<typeof publishing.getSiteStructure, PublishingEnvironment> = async (
  { query: { shareKey } },
  context,
) => {
  const { shown, view, hasSections } = await viewStructure(context, shareKey);
  return presentStructure(shown, view, hasSections);
};
