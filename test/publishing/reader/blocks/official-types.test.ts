import { createRequire } from 'node:module';
import { renderedTypes } from '@octavo/reader';
import { expect, test } from 'vitest';

const { components } = createRequire(import.meta.url)('gitbook-api-202/spec/openapi.json') as {
  components: { schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }> };
};

/** The document node types in the official description. */
const listOfficialTypes = (object: string): string[] =>
  Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
    name.startsWith('Document') && properties.object?.enum?.[0] === object ? (properties.type?.enum ?? []) : [],
  );

/** Types that the parent block renders, or that the server evaluates. */
const drawnElsewhere = new Set([...['code-line', 'column', 'image', 'stepper-step', 'tabs-item', 'update', 'if']]);

test.each(['block', 'inline', 'mark'] as const)('renders every %s of documents', (object) => {
  const official = listOfficialTypes(object);

  expect(official.length).toBeGreaterThan(5);
  expect(official.filter((type) => !renderedTypes[object].includes(type) && !drawnElsewhere.has(type))).toEqual([]);
});

test('renders every type of column', () => {
  const columns = Object.entries(components.schemas).flatMap(([name, schema]) => {
    const parts = (schema as { allOf?: (typeof schema)[] }).allOf ?? [];
    return /^DocumentTableDefinition(?!Base)/.test(name)
      ? parts.flatMap(({ properties }) => properties?.type?.enum ?? [])
      : [];
  });

  expect(columns.length).toBeGreaterThan(7);
  expect(columns.filter((type) => !renderedTypes.column.includes(type))).toEqual([]);
});
