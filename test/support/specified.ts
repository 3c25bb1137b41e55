import { readFileSync } from 'node:fs';

/** An operation as described by the specification, independent of our contracts. */
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

export const specified: SpecifiedOperation[] = JSON.parse(
  readFileSync(new URL('../rules/operations.json', import.meta.url), 'utf8'),
);
