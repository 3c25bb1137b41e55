import type { OrganizationId } from '@octavo/schema';
import type { ScriptHead, ScriptLimits, ScriptOutcome } from '@octavo/script-isolate';
import type { IntegrationsEnvironment } from '../environment.ts';

/** What of an integration's script is to run, and with what. */
export interface ScriptRun {
  integration: string;
  /** Who publishes the integration. */
  owner: OrganizationId;
  /** Who has it installed, where it runs for an installation: these take turns. */
  organization: OrganizationId | undefined;
  /** For which installation, where it is for one. */
  installation?: string | undefined;
  /** The name of the script's object, which is another one for each version. */
  scriptKey: string;
  script(): Promise<string>;
  event: { type: string };
  environment: object;
  /** The body of the request that the event tells of. */
  fetchBody?: Uint8Array<ArrayBuffer> | null | undefined;
  limits?: Partial<ScriptLimits>;
}

/** What runs a script: a host beside the platform, or a loader of isolates. */
export type RunForm = (head: ScriptHead, form: Response, script: () => Promise<string>) => Promise<ScriptOutcome>;

export type ScriptEnvironment = Pick<
  IntegrationsEnvironment,
  'SCRIPTS' | 'LOADER' | 'OCTAVO_PUBLIC_URL' | 'OCTAVO_IMPORT_ALLOW_PRIVATE'
>;
