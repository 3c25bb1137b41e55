import type { DeploySettings } from '@octavo/platform';
import type { Account, LiveWorker, SharedTriggers } from './account.ts';
import type { PlannedWorker, Release } from './configurations.ts';
import type { Visits } from './smoke-test.ts';
import type { RunWrangler } from './wrangler.ts';

/** A change that a deployment makes. */
export interface Step {
  /** Completes the sentence "The command will". */
  title: string;
  run: () => Promise<void>;
}

export interface Deployer extends Visits {
  account: Account;
  settings: DeploySettings;
  release: Release;
  outDir: string;
  secretFile: string;
  /** The value of OCTAVO_SECRET in the environment. */
  secret: string | undefined;
  /** The file with the key of the directory, and the value of OCTAVO_DIRECTORY_KEY in the environment. */
  directoryKeyFile: string;
  directoryKey: string | undefined;
  /** Whether the output is stored by a CI system. */
  isCi: boolean;
  /** The worker to deploy, if only one is. */
  only: string | undefined;
  /** Whether the platform may get another URL. */
  canChangeUrl: boolean;
  runWrangler: RunWrangler;
}

/** The workers of the release, and the state of the account. */
export interface State {
  deployer: Deployer;
  /** The ID of the database, when it exists. */
  database: string | undefined;
  /** All workers, each after those that it binds. */
  workers: PlannedWorker[];
  live: Map<string, LiveWorker>;
  shared: SharedTriggers;
}
