import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { describeBytes } from '../text.ts';
import { Timestamp } from '../time.ts';

const maxDepth = 5;
const maxProperties = 200;
const maxSchemaBytes = 32 * 1024;

const Description = z.string().max(512).exactOptional();
const unusable: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns whether a claim can have this name. Names of properties that every JavaScript object has are not allowed. */
export const isClaimName = (name: string): boolean => !unusable.has(name);

const ClaimName = z.string().min(1).max(128).refine(isClaimName, 'is not a valid claim name');
const noOthers = z.literal(false);

const BooleanClaim = z.strictObject({ type: z.literal('boolean'), description: Description });
const StringClaim = z.strictObject({
  type: z.literal('string'),
  enum: z.array(z.string().max(256)).min(1).max(200).exactOptional(),
  description: Description,
});
const NumberClaim = z.strictObject({ type: z.literal('number'), description: Description });
const ScalarClaim = z.discriminatedUnion('type', [BooleanClaim, StringClaim, NumberClaim]);
const ArrayClaim = z.strictObject({ type: z.literal('array'), items: ScalarClaim, description: Description });

type PlainClaim = z.infer<typeof ScalarClaim> | z.infer<typeof ArrayClaim>;

export interface ObjectClaim {
  type: 'object';
  description?: string;
  properties: Record<string, AdaptiveClaim>;
  additionalProperties: false;
}

export type AdaptiveClaim = PlainClaim | ObjectClaim;

/**
 * Returns the schema of a claim with at most `depth` nested objects. The limit bounds the recursion when a request is
 * validated.
 */
const claim = (depth: number): z.ZodType<AdaptiveClaim, AdaptiveClaim> =>
  depth === 0
    ? z.discriminatedUnion('type', [BooleanClaim, StringClaim, NumberClaim, ArrayClaim])
    : z.discriminatedUnion('type', [BooleanClaim, StringClaim, NumberClaim, ArrayClaim, createObjectClaim(depth - 1)]);

const createObjectClaim = (depth: number) =>
  z.strictObject({
    type: z.literal('object'),
    description: Description,
    properties: z.record(ClaimName, claim(depth)),
    additionalProperties: noOthers,
  });

const countClaims = (claims: AdaptiveClaim[]): number =>
  claims.reduce((sum, each) => sum + 1 + (each.type === 'object' ? countClaims(Object.values(each.properties)) : 0), 0);

/**
 * The schema of a site's visitor claims, as JSON Schema (draft 07). `unsigned` contains claims that any visitor can
 * set.
 */
export const AdaptiveJsonSchema = z
  .strictObject({
    $schema: z.literal('http://json-schema.org/draft-07/schema#').optional(),
    $id: z.string().max(2048).optional(),
    type: z.literal('object'),
    properties: z
      .record(ClaimName, claim(maxDepth))
      .refine(({ unsigned }) => unsigned === undefined || unsigned.type === 'object', {
        path: ['unsigned', 'type'],
        error: 'must be object, because it describes unsigned claims',
      }),
    additionalProperties: noOthers,
  })
  .refine(
    ({ properties }) => countClaims(Object.values(properties)) <= maxProperties,
    `must have at most ${maxProperties} properties`,
  )
  .refine(
    (schema) => new TextEncoder().encode(JSON.stringify(schema)).length <= maxSchemaBytes,
    `must have at most ${describeBytes(maxSchemaBytes)} as JSON`,
  )
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
    byInstallation: ['site:adaptive:read', 'site:adaptive:write'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/adaptive-schema',
    summary: 'Get the schema of visitor claims',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: SiteAdaptiveSchema,
    success: 200,
  },
  updateSiteAdaptiveSchema: {
    byInstallation: ['site:adaptive:write'],
    method: 'PUT',
    path: '/v1/orgs/:organizationId/sites/:siteId/adaptive-schema',
    summary: 'Set the schema of visitor claims',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: z.object({ jsonSchema: AdaptiveJsonSchema }),
    response: SiteAdaptiveSchema,
    success: 200,
  },
  listSiteAdaptiveTemplateConditions: {
    byInstallation: ['site:adaptive:read', 'site:adaptive:write'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/adaptive-schema/template-conditions',
    summary: 'List template conditions',
    access: { site: 'view' },
    scope: 'any',
    params,
    response: z.object({ items: z.array(TemplateCondition) }),
    success: 200,
  },
});
