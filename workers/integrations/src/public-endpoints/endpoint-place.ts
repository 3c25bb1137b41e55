import type { SiteId, SpaceId } from '@octavo/schema';

/** What an address below `/integrations/` is about. */
export interface EndpointPlace {
  integration: string;
  installation?: string;
  space?: SpaceId;
  site?: SiteId;
  /** Whether it is that of the script for the pages of the site. */
  isPublishedScript: boolean;
}

const id = '[\\w-]{1,100}';
const address = new RegExp(
  `^/integrations/(?<integration>[\\w.-]{1,100})` +
    `(?:/installations/(?<installation>${id})(?:/spaces/(?<space>${id})|/sites/(?<site>${id})(?<script>/script\\.js$)?)?)?(?:/.*)?$`,
);

/** Undefined where it is no such address. */
export function placeAt(pathname: string): EndpointPlace | undefined {
  const { integration, installation, space, site, script } = address.exec(pathname)?.groups ?? {};
  if (integration === undefined) return undefined;
  return {
    integration,
    ...(installation === undefined ? {} : { installation }),
    ...(space === undefined ? {} : { space }),
    ...(site === undefined ? {} : { site }),
    isPublishedScript: script !== undefined,
  };
}
