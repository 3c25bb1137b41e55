/** The path of the endpoint that the directory calls to find out whether an installation contains an object. */
export const directoryPath = '/directory/keys';

/** The header that selects the installation of a request. Operators use it, for example for `/health`. */
export const cellHeader = 'octavo-cell';

/** The name that `npm run deploy` puts into paths to test workers. No object has this name. */
export const smokeTestName = 'smoke-test';

/** Objects that a request can name. Users choose the values of `site`, `organization` and `integration`. */
export type DirectoryKind =
  | 'organization'
  | 'space'
  | 'collection'
  | 'token'
  | 'sign-in-link'
  | 'saml-provider'
  | 'integration'
  | 'installation'
  | 'openapi-spec'
  | 'pdf'
  | 'site';

export interface DirectoryKey {
  kind: DirectoryKind;
  /** An id, a hash or a name. For a site, the host of a page and the leading segments of its path. */
  value: string;
}

/**
 * The response of an installation to a key. `claim` is `current` if an object has the name in the key, and `former` if
 * an object had this name before and the installation redirects from it.
 */
export interface DirectoryResponse {
  claim: 'current' | 'former' | null;
  /** The longest address of a site that is a prefix of the value. */
  address?: string;
}
