import type { Membership, OpenAPISpecRecord, OpenAPIVersionRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OpenAPISpec, OpenAPISpecVersion } from '@octavo/schema';
import { formatTimestamp, getOrganizationPermissions, isAtLeast } from '@octavo/schema';

type NamedSpec = Pick<OpenAPISpecRecord, 'id' | 'organization' | 'slug' | 'visibility'>;

const getSpecPath = ({ organization, slug }: Pick<NamedSpec, 'organization' | 'slug'>) =>
  `/orgs/${organization}/openapi/${slug}`;

interface PresentContext {
  membership: Membership;
  urls: Urls;
}

export function presentSpec(spec: OpenAPISpecRecord, { membership, urls }: PresentContext): OpenAPISpec {
  const { createOpenAPISpec } = getOrganizationPermissions(membership.role, membership.ownsTeam);
  const published = getPublicUrl(spec, urls);
  return {
    object: 'openapi-spec',
    id: spec.id,
    createdAt: formatTimestamp(spec.createdAt),
    updatedAt: formatTimestamp(spec.updatedAt),
    slug: spec.slug,
    ...(spec.sourceUrl === null ? {} : { sourceURL: spec.sourceUrl }),
    processingState: spec.state,
    visibility: spec.visibility,
    ...(spec.version === null ? {} : { lastVersion: spec.version }),
    ...(spec.processedAt === null ? {} : { lastProcessedAt: formatTimestamp(spec.processedAt) }),
    ...presentFault(spec),
    permissions: { view: isAtLeast(membership.role, 'read'), edit: createOpenAPISpec },
    urls: {
      location: urls.location(getSpecPath(spec)),
      app: urls.app(getSpecPath(spec)),
      ...(published === null ? {} : { published }),
    },
  };
}

function presentFault({ errorCode: code, errorMessage }: OpenAPISpecRecord) {
  if (code === null) return { lastProcessedErrorCount: 0 };
  const message = errorMessage ?? '';
  return {
    lastProcessErrorCode: code,
    lastProcessErrorMessage: message,
    lastProcessedErrors: [{ message, code }],
    lastProcessedErrorCount: 1,
  };
}

/** Returns the public URL; null unless the specification is public. */
export const getPublicUrl = ({ id, visibility }: Pick<NamedSpec, 'id' | 'visibility'>, urls: Urls): string | null =>
  visibility === 'public' ? urls.page(`/openapi/${id}/openapi.json`) : null;

type Version = Pick<OpenAPIVersionRecord, 'id' | 'sourceUrl' | 'createdAt'>;

const getVersionLocation = (
  spec: Pick<NamedSpec, 'organization' | 'slug'>,
  version: Pick<Version, 'id'>,
  urls: Urls,
): string => urls.location(`${getSpecPath(spec)}/versions/${version.id}`);

/** Returns the URL that a version was read from, or the API URL of an uploaded text. */
export const getSourceUrl = (
  spec: Pick<NamedSpec, 'organization' | 'slug'>,
  version: Pick<Version, 'id' | 'sourceUrl'>,
  urls: Urls,
): string => version.sourceUrl ?? `${getVersionLocation(spec, version, urls)}/content`;

export const presentVersion = (
  spec: Pick<NamedSpec, 'organization' | 'slug'>,
  version: Version,
  urls: Urls,
): OpenAPISpecVersion => ({
  object: 'openapi-spec-version',
  id: version.id,
  createdAt: formatTimestamp(version.createdAt),
  url: getSourceUrl(spec, version, urls),
  urls: { location: getVersionLocation(spec, version, urls) },
});
