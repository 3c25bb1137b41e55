import type { ResourceDocumentation } from '../documentation.ts';

const jsonSchema = {
  type: 'object',
  properties: {
    plan: { type: 'string', enum: ['free', 'paid'], description: 'Plan' },
    unsigned: {
      type: 'object',
      properties: { beta: { type: 'boolean', description: 'Beta tester' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

/** The maximum depth of nested objects in claims. */
const maxDepth = 5;

const claimTexts = {
  type: 'The type of the claim.',
  description: 'The name of the claim for people, used in template conditions.',
  enum: 'The allowed values. If omitted, any string is allowed.',
  items: 'The type of the items of a list.',
  'items.type': 'The type of the items.',
  'items.description': 'A description of the items.',
  'items.enum': 'The allowed values of the items.',
};

const objectTexts = {
  properties: 'The claims in an object, by name.',
  additionalProperties: 'Always false: claims that are not listed are dropped.',
};

/** Descriptions for each level of nested objects. The deepest level cannot contain objects. */
const claimProperties = Object.fromEntries(
  Array.from({ length: maxDepth + 1 }, (_, depth) =>
    Object.entries(depth < maxDepth ? { ...claimTexts, ...objectTexts } : claimTexts).map(([name, text]) => [
      `${'properties.*.'.repeat(depth + 1)}${name}`,
      text,
    ]),
  ).flat(),
);

export const adaptive: ResourceDocumentation = {
  operations: {
    getSiteAdaptiveSchema: {
      description:
        'Returns the schema of the visitor claims of a site, or 404 until a schema is set; without one, all claims ' +
        'are accepted.',
    },
    updateSiteAdaptiveSchema: {
      description:
        'Sets the schema of the visitor claims of a site. Claims that do not conform to it are dropped. A schema ' +
        'can have at most 200 properties and 32 KiB.',
      body: { jsonSchema: 'The schema, in a subset of JSON Schema (draft 07).' },
      example: { body: { jsonSchema } },
    },
    listSiteAdaptiveTemplateConditions: {
      description:
        'Lists conditions that are derived from the schema: one for each boolean claim and one for each value of an ' +
        'enumeration. Empty if the site has no schema.',
      response: { items: 'The conditions that the schema allows.' },
    },
  },
  schemas: {
    AdaptiveJsonSchema: {
      description:
        'The schema of visitor claims: an object of booleans, strings, numbers, lists of these, and objects. Claims ' +
        'in `unsigned` can be set by any visitor; all others come from a signed token.',
      properties: {
        $schema: 'The version of JSON Schema.',
        $id: 'An identifier of the schema. It is stored unchanged.',
        type: 'The type of the claims. Always `object`.',
        properties: 'The claims, by name.',
        additionalProperties: objectTexts.additionalProperties,
        ...claimProperties,
      },
      example: jsonSchema,
    },
    SiteAdaptiveSchema: {
      description: 'The schema of the visitor claims of a site.',
      properties: { jsonSchema: 'The schema of the claims.' },
      example: { object: 'site-adaptive-schema', jsonSchema, updatedAt: '2026-02-22T10:10:00.000Z' },
    },
    TemplateCondition: {
      description: 'A condition that is derived from the schema of visitor claims.',
      properties: {
        description: 'The name of the condition for people.',
        condition: 'The expression, which can be set as the condition of a page, section or site space.',
      },
      example: { description: 'Plan: paid', condition: 'visitor.claims.plan == "paid"' },
    },
  },
};
