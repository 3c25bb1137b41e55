import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { Timestamp } from '../time.ts';

const maxDepth = 5;
const Description = z.string().max(512).optional();
const ClaimName = z.string().min(1).max(128);
const noOthers = z.literal(false);

const BooleanClaim = z.strictObject({ type: z.literal('boolean'), description: Description });
const StringClaim = z.strictObject({
  type: z.literal('string'),
  enum: z.array(z.string().max(256)).min(1).max(200),
  description: Description,
});

type ScalarClaim = z.infer<typeof BooleanClaim> | z.infer<typeof StringClaim>;

export interface ObjectClaim {
  type: 'object';
  description?: string | undefined;
  properties: Record<string, AdaptiveClaim>;
  additionalProperties: false;
}

export type AdaptiveClaim = ScalarClaim | ObjectClaim;

/** A claim that nests `depth` objects at most: what a request holds is bounded before it is walked. */
const claim = (depth: number): z.ZodType<AdaptiveClaim, AdaptiveClaim> =>
  depth === 0 ? z.union([BooleanClaim, StringClaim]) : z.union([BooleanClaim, StringClaim, objectClaim(depth - 1)]);

const objectClaim = (depth: number) =>
  z.strictObject({
    type: z.literal('object'),
    description: Description,
    properties: z.record(ClaimName, claim(depth)),
    additionalProperties: noOthers,
  });

/** What a site knows of its visitors, as JSON Schema (draft 07); `unsigned` are claims that anybody may make. */
export const AdaptiveJsonSchema = z
  .strictObject({
    $schema: z.literal('http://json-schema.org/draft-07/schema#').optional(),
    $id: z.string().max(2048).optional(),
    type: z.literal('object'),
    properties: z.object({ unsigned: objectClaim(maxDepth).optional() }).catchall(claim(maxDepth)),
    additionalProperties: noOthers,
  })
  .meta({ id: 'AdaptiveJsonSchema' });
export type AdaptiveJsonSchema = z.infer<typeof AdaptiveJsonSchema>;

export const SiteAdaptiveSchema = z
  .object({ object: z.literal('site-adaptive-schema'), jsonSchema: AdaptiveJsonSchema, updatedAt: Timestamp })
  .meta({ id: 'SiteAdaptiveSchema' });
export type SiteAdaptiveSchema = z.infer<typeof SiteAdaptiveSchema>;

export const TemplateCondition = z
  .object({ description: z.string(), condition: z.string() })
  .meta({ id: 'TemplateCondition' });
export type TemplateCondition = z.infer<typeof TemplateCondition>;

const params = z.object({ organizationId: Id, siteId: Id });

export const adaptiveSchemaEndpoints = contract({
  getSiteAdaptiveSchema: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/adaptive-schema',
    summary: 'Get the schema of what a site knows of its visitors',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: SiteAdaptiveSchema,
    success: 200,
  },
  updateSiteAdaptiveSchema: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/sites/:siteId/adaptive-schema',
    summary: 'Set the schema of what a site knows of its visitors',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: z.object({ jsonSchema: AdaptiveJsonSchema }),
    response: SiteAdaptiveSchema,
    success: 200,
  },
  listSiteAdaptiveTemplateConditions: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/adaptive-schema/template-conditions',
    summary: 'List ready-made conditions that follow from the schema',
    access: { site: 'view' },
    scope: 'any',
    params,
    response: z.object({ items: z.array(TemplateCondition) }),
    success: 200,
  },
});
