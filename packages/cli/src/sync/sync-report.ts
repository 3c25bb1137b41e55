import type { ApiConnection } from '../api.ts';
import type { ImportProblem } from '../import/problem.ts';
import type { NamedConflict } from '../named-conflict.ts';
import type { UndecidedRequest } from './held-apart.ts';

export interface SyncOptions {
  api: ApiConnection;
  /** An address or a folder of a git repository. */
  repository: string;
  space: string;
  branch?: string;
  /** The folder of the repository that the space is of. */
  root?: string;
  /** Leaves what the repository has changed open as a change request. */
  review?: boolean;
  dryRun?: boolean;
}

/** What a sync did. Its fields are what `--json` prints: they keep their names. */
export interface SyncReport {
  space: string;
  branch: string;
  /** The change requests that brought the repository's changes, and what became of them. */
  changeRequests: { id: string; number: number; status: 'merged' | 'open' | 'conflicts'; conflicts: NamedConflict[] }[];
  /** The commits that brought the changes of the space, the newest last. */
  commits: { id: string; subject: string; written: number; removed: number }[];
  problems: ImportProblem[];
  /** What is held apart of this or a former sync, and nobody has decided yet. */
  undecided: UndecidedRequest[];
  /** Whether something waits for a decision of a person. */
  waits?: string;
  /** With `--dry-run`: how many changes there are to be brought, and what would be held apart. */
  planned?: { changes: number; conflicts: NamedConflict[] };
}
