import { address, atMost, count, flag, flags, getList, getOne, id, moment, object, text } from './shapes.ts';
import { inApp, is, level, located, roleOrNull, user } from './shared-resources.ts';

/** Shapes of the resources of part 2, copied by hand from the tables of the specification. */

export const organization = object({
  object: is('organization'),
  id,
  title: text,
  createdAt: moment,
  emailDomains: getList(text),
  'hostname?': text,
  type: text,
  'defaultRole?': roleOrNull,
  'sso?': flag,
  'ai?': flag,
  inviteLinks: flag,
  plan: text,
  urls: object({ location: address, app: address, 'logo?': address }),
  'trial?': object({ status: text }),
  permissions: flags(
    ...['view', 'admin', 'ownTeam', 'createContent', 'createOpenAPISpec', 'ingestConversations', 'viewBilling'],
    ...['listMembers', 'listTeams', 'listIntegrations'],
  ),
});

export const member = object({
  object: is('member'),
  id,
  role: roleOrNull,
  user,
  disabled: flag,
  joinedAt: moment,
  'lastSeenAt?': moment,
  sso: flag,
  spaces: count,
  teams: count,
});

export const team = object({
  object: is('team'),
  id,
  title: text,
  members: count,
  spaces: count,
  createdAt: moment,
  permissions: flags('admin', 'view'),
});
export const placeInTeam = object({ role: getOne('owner', 'member') });

export const samlProvider = object({
  object: is('saml-provider'),
  id,
  label: text,
  ssoURL: text,
  entityID: text,
  certificate: text,
  'defaultTeam?': team,
  'defaultRole?': roleOrNull,
  createdAt: moment,
  status: text,
  service: object({ acsURL: address, startURL: address, entityID: address }),
  urls: located,
});

export const collection = object({
  object: is('collection'),
  id,
  title: atMost(50),
  'description?': atMost(100),
  organization: id,
  'parent?': id,
  defaultLevel: level,
  urls: inApp,
  permissions: flags('view', 'admin', 'viewInviteLinks', 'create'),
});

export const translationSettings = object({
  object: is('translation-settings'),
  id,
  title: text,
  languages: getList(text),
  createdAt: moment,
  updatedAt: moment,
  permissions: flags('view', 'edit'),
  urls: located,
});
