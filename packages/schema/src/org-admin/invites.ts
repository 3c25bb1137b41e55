import * as z from 'zod';
import { Collection } from '../content/collections.ts';
import { Space } from '../content/spaces.ts';
import { EmailAddress } from '../email.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Role } from '../roles.ts';

const base = {
  object: z.literal('invite'),
  id: z.string(),
  redundant: z.boolean(),
};

/** An invite link to an organization with a role, or to one space or collection with a level. */
export const Invite = z
  .union([
    z.object({ ...base, role: Role.nullable() }),
    z.object({ ...base, level: Role.nullable(), space: Space }),
    z.object({ ...base, level: Role.nullable(), collection: Collection }),
  ])
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof Invite>;

/** Returns a schema that reports one issue with `message` if the fields of the body match none of the forms. */
const createFormSchema = <Form extends z.ZodUnion<readonly z.ZodObject[]>>(form: Form, message: string) =>
  z.preprocess((body, context) => {
    const getFields = (value: object) => Object.keys(value).sort().join();
    const sent = getFields(Object(body));
    if (!form.options.some(({ shape }) => getFields(shape) === sent)) context.addIssue({ code: 'custom', message });
    return body;
  }, form);

/** The access that a link grants: a role in the organization, or a level on one space or collection. */
export const CreateInvite = createFormSchema(
  z.union([
    z.strictObject({ role: Role.nullable() }),
    z.strictObject({ level: Role.nullable(), space: Id }),
    z.strictObject({ level: Role.nullable(), collection: Id }),
  ]),
  'must have only `role`, or `level` with `space` or `collection`',
);

const UpdateInvite = createFormSchema(
  z.union([z.strictObject({ role: Role.nullable() }), z.strictObject({ level: Role.nullable() })]),
  'must have either `role` or `level`',
);

export const maxInvitesPerCall = 100;
const Invitee = z.union([EmailAddress, z.object({ email: EmailAddress, role: Role.nullable() })]);

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ inviteId: Id });
/**
 * The caller's rights determine which links are accessible: links to content require `create` on the content, and links
 * to an organization require an admin.
 */
const links = { access: { organization: 'view' }, scope: 'organization:members:write' } as const;

export const inviteEndpoints = contract({
  inviteUsersToOrganization: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/invites',
    summary: 'Invite people by e-mail',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params: organizationParams,
    body: z.object({
      emails: z.array(Invitee).min(1).max(maxInvitesPerCall),
      role: Role.nullable().optional(),
      sso: z.boolean().default(false),
    }),
    response: z.object({
      users: z.array(z.string()),
      invited: z.number().int(),
      failedSSOEmails: z.array(z.string()).optional(),
    }),
    rate: 'jobs',
    success: 200,
    hidesCost: 'from-all',
  },
  listOrganizationInviteLinks: {
    ...links,
    method: 'GET',
    path: '/v1/orgs/:organizationId/link-invites',
    summary: 'List invite links',
    scope: 'organization:members:read',
    params: organizationParams,
    query: PageQuery,
    response: list(Invite),
    success: 200,
  },
  createOrganizationInvite: {
    ...links,
    method: 'POST',
    path: '/v1/orgs/:organizationId/link-invites',
    summary: 'Create an invite link',
    params: organizationParams,
    body: CreateInvite,
    targets: { space: { space: 'viewInviteLinks' }, collection: { collection: 'viewInviteLinks' } },
    otherwise: 'admin',
    response: Invite,
    success: 201,
    errors: ['precondition_failed', 'conflict'],
  },
  getOrganizationInviteLink: {
    ...links,
    method: 'GET',
    path: '/v1/orgs/:organizationId/link-invites/:inviteId',
    summary: 'Get an invite link',
    scope: 'organization:members:read',
    params,
    response: Invite,
    success: 200,
  },
  updateOrganizationInviteById: {
    ...links,
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/link-invites/:inviteId',
    summary: 'Change the role of an invite link',
    params,
    body: UpdateInvite,
    response: Invite,
    success: 200,
  },
  deleteOrganizationInviteById: {
    ...links,
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/link-invites/:inviteId',
    summary: 'Delete an invite link',
    params,
    success: 205,
  },
  joinOrganizationWithInvite: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/invites/:inviteId',
    summary: 'Join an organization with an invite link',
    access: 'account',
    scope: 'unscoped',
    params,
    response: z.object({}),
    success: 200,
    errors: ['precondition_failed'],
  },
  joinOrganization: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/join',
    summary: 'Join an organization through an e-mail domain',
    access: 'account',
    scope: 'unscoped',
    params: organizationParams,
    success: 204,
    errors: ['precondition_failed'],
  },
});
