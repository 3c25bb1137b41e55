import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { contracts } from '@octavo/schema';
import { openApiDocument } from '../../../workers/gateway/src/openapi.ts';
import { listMissingFields } from './compare-answer.ts';
import type { OpenApi } from './forms.ts';
import { getResponseSchemas } from './forms.ts';
import { isLeftOut } from './left-out.ts';

const read = (name: string): OpenApi =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`${name}/spec/openapi.json`), 'utf8'));

/** The descriptions included in the official clients, by version. */
export const officials = { '0.130.0': read('@gitbook/api'), '0.202.0': read('gitbook-api-202') };

export const ours: OpenApi = JSON.parse(
  JSON.stringify(openApiDocument(contracts, { url: 'https://api.example.test', version: '0.1.0' })),
);

/** Returns the fields that any official version requires and the response lacks, except intentional omissions. */
export function listFieldsMissingForAnyVersion(operation: string, response: unknown): string[] {
  const schema = getResponseSchemas(ours).get(operation);
  const lists = Object.entries(officials).flatMap(([version, document]) => {
    const official = getResponseSchemas(document).get(operation);
    if (official === undefined || schema === undefined) return [];
    const described = { document: ours, schema, isLeftOut };
    return listMissingFields(response, { document, schema: official }, described, operation).map(
      (each) => `${version} ${each}`,
    );
  });
  return [...new Set(lists)];
}

/** IDs of the operations that return a response body. */
export const answering: string[] = [...getResponseSchemas(ours).keys()];
