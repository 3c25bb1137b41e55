import {
  address,
  count,
  createEnumShape,
  createObjectShape,
  createTextShape,
  flag,
  flags,
  getList,
  id,
  moment,
  text,
} from './shapes.ts';
import { inApp, is, level, located, roleOrNull, user } from './shared-resources.ts';

/** Shapes of the resources of part 2, copied by hand from the tables of the specification. */

export const organization = createObjectShape({
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
  urls: createObjectShape({ location: address, app: address, 'logo?': address }),
  'trial?': createObjectShape({ status: text }),
  permissions: flags(
    ...['view', 'admin', 'ownTeam', 'createContent', 'createOpenAPISpec', 'ingestConversations', 'viewBilling'],
    ...['listMembers', 'listTeams', 'listIntegrations'],
  ),
});

export const member = createObjectShape({
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

export const team = createObjectShape({
  object: is('team'),
  id,
  title: text,
  members: count,
  spaces: count,
  createdAt: moment,
  permissions: flags('admin', 'view'),
});
export const placeInTeam = createObjectShape({ role: createEnumShape('owner', 'member') });

export const samlProvider = createObjectShape({
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
  service: createObjectShape({ acsURL: address, startURL: address, entityID: address }),
  urls: located,
});

export const collection = createObjectShape({
  object: is('collection'),
  id,
  title: createTextShape(50),
  'description?': createTextShape(100),
  organization: id,
  'parent?': id,
  defaultLevel: level,
  urls: inApp,
  permissions: flags('view', 'admin', 'viewInviteLinks', 'create'),
});

export const translationSettings = createObjectShape({
  object: is('translation-settings'),
  id,
  title: text,
  languages: getList(text),
  createdAt: moment,
  updatedAt: moment,
  permissions: flags('view', 'edit'),
  urls: located,
});
