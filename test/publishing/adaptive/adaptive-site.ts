import { getSite } from '../customized-site.ts';

export const jsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    beta: { type: 'boolean', description: 'Takes part in the beta' },
    plan: { type: 'string', enum: ['free', 'paid'], description: 'Plan' },
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: { language: { type: 'string', enum: ['fr'], description: 'Language' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

export async function makeAdaptiveSite() {
  const site = await getSite();
  const put = (schema: unknown) => site.call('/adaptive-schema', { method: 'PUT', body: { jsonSchema: schema } });
  return { ...site, put };
}
