import type { ResourceDocumentation } from '../documentation.ts';
import { bookmarks } from './bookmarks.ts';
import { changes } from './changes.ts';
import { collections } from './collections.ts';
import { documents } from './documents.ts';
import { files } from './files.ts';
import { imports } from './imports.ts';
import { links } from './links.ts';
import { live } from './live.ts';
import { pages } from './pages.ts';
import { revisions } from './revisions.ts';
import { semanticChanges } from './semantic-changes.ts';
import { spaces } from './spaces.ts';
import { suggestions } from './suggestions.ts';
import { trash } from './trash.ts';
import { urls } from './urls.ts';

export const contentDocumentation: ResourceDocumentation[] = [
  bookmarks,
  changes,
  collections,
  documents,
  files,
  imports,
  links,
  live,
  pages,
  revisions,
  semanticChanges,
  spaces,
  suggestions,
  trash,
  urls,
];
