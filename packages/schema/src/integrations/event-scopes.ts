import { audited } from '../audited.ts';
import type { EventType } from '../events.ts';
import type { IntegrationScope } from './integration.ts';

const content = ['space:content:read', 'space:content:write'] as const;
const spaces = ['space:metadata:read', 'space:metadata:write'] as const;
const sites = ['site:metadata:read'] as const;

/** By the object that the name of a type begins with: of these scopes one lets its events through to an installation. */
const scopesByObject: Record<string, readonly IntegrationScope[]> = {
  revision: content,
  import: content,
  change_request: content,
  comment: content,
  comment_reply: content,
  space: spaces,
  site: sites,
  site_section: sites,
  site_section_group: sites,
  site_space: sites,
  site_external_link: sites,
  site_redirect: sites,
  site_redirects: sites,
  openapi_spec: ['openapi:read', 'openapi:write'],
};

/** Types that differ from the others of their object: who gets in, and what visitors are told apart by. */
const scopesByType: { readonly [Type in EventType]?: readonly IntegrationScope[] } = {
  'site.auth_updated': [],
  'site.auth_key_shown': [],
  'site.auth_key_regenerated': [],
  'site.adaptive_schema_updated': ['site:adaptive:read', 'site:adaptive:write'],
};

const objectsOfOwn = new Set(['installation', 'space_installation', 'site_installation']);

const objectIn = (type: EventType): string => type.split('.')[0] ?? '';

/** Whether a type tells of an installation, which gets the events of its own whatever its scopes are. */
export const isOfInstallation = (type: EventType): boolean => objectsOfOwn.has(objectIn(type));

/** The scopes of which one lets events of a type through to an installation; none where nothing does. */
export const scopesOfEvent = (type: EventType): readonly IntegrationScope[] =>
  audited[type] === null ? [] : (scopesByType[type] ?? scopesByObject[objectIn(type)] ?? []);
