import { Wiring } from '@octavo/schema';

/** What the machine is started with: what its workers are bound to in process is made of this. */
export interface MachineEnvironment {
  MACHINE: DurableObjectNamespace;
  /** How the workers are wired, as JSON. */
  WIRING: string;
  /** The id of the database, which names its file. */
  DATABASE: string;
  /** Buckets and folders, by the names that the wiring has for them. */
  [passed: string]: unknown;
}

/** How the workers are wired. */
export const wiringOf = ({ WIRING }: MachineEnvironment): ReturnType<typeof Wiring.parse> =>
  Wiring.parse(JSON.parse(WIRING));
