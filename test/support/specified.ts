import { readFileSync } from 'node:fs';

/** An operation as the specification has it, and not as our contracts do. */
export interface SpecifiedOperation {
  id: string;
  method: string;
  path: string;
  domain: string;
  success: number;
  query: string[];
  body: string[];
  response: string;
  deprecated?: boolean;
}

/** Every operation of the specification. */
export const specified: SpecifiedOperation[] = JSON.parse(
  readFileSync(new URL('../rules/operations.json', import.meta.url), 'utf8'),
);
