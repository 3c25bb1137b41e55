/** A resource of a known provider. All addresses of a resource result in the same value. */
export interface ProvidedResource {
  site: string;
  /** The shape of the frame: a video, a tall application, or a strip. */
  shape: 'video' | 'tall' | 'strip';
  /** The canonical address at the provider. */
  url: string;
  /** The address of the frame. Omitted if the resource can only be linked. */
  frame?: string;
  /** The oEmbed endpoint of the provider (oembed.com). Omitted if it has none. */
  oembed?: string;
}

interface Provider {
  site: string;
  shape?: ProvidedResource['shape'];
  hosts: string[];
  /** Returns the resource at an address, by its path and query, or undefined if it cannot be embedded. */
  find(url: URL): { url: string; frame?: string } | undefined;
  oembed?: string;
}

/** Creates the `find` function of a provider that identifies resources by the path alone. */
const createPathMatcher =
  (pattern: RegExp, { url, frame }: { url: string; frame?: string }): Provider['find'] =>
  ({ pathname }) => {
    const [, id, kind = ''] = pattern.exec(pathname) ?? [];
    if (id === undefined) return undefined;
    const fill = (template: string) => template.replace('{id}', id).replace('{kind}', kind);
    return { url: fill(url), ...(frame === undefined ? {} : { frame: fill(frame) }) };
  };

function findVideo({ hostname, pathname, searchParams }: URL): { url: string; frame: string } | undefined {
  const inPath = hostname === 'youtu.be' ? pathname.slice(1) : /^\/(?:embed|shorts|live)\/([^/]+)/.exec(pathname)?.[1];
  const id = pathname === '/watch' ? searchParams.get('v') : inPath;
  if (!/^[\w-]{11}$/.test(id ?? '')) return undefined;
  return { url: `https://www.youtube.com/watch?v=${id}`, frame: `https://www.youtube-nocookie.com/embed/${id}` };
}

const providers: Provider[] = [
  {
    site: 'YouTube',
    hosts: ['www.youtube.com', 'youtube.com', 'm.youtube.com', 'youtu.be', 'www.youtube-nocookie.com'],
    find: findVideo,
    oembed: 'https://www.youtube.com/oembed?format=json&url=',
  },
  {
    site: 'Vimeo',
    hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'],
    find: createPathMatcher(/^\/(?:video\/)?(\d{1,12})\/?$/, {
      url: 'https://vimeo.com/{id}',
      frame: 'https://player.vimeo.com/video/{id}',
    }),
    oembed: 'https://vimeo.com/api/oembed.json?url=',
  },
  {
    site: 'Loom',
    hosts: ['www.loom.com', 'loom.com'],
    find: createPathMatcher(/^\/(?:share|embed)\/([0-9a-f]{32})\/?$/, {
      url: 'https://www.loom.com/share/{id}',
      frame: 'https://www.loom.com/embed/{id}',
    }),
    oembed: 'https://www.loom.com/v1/oembed?url=',
  },
  {
    site: 'Spotify',
    shape: 'strip',
    hosts: ['open.spotify.com'],
    find: createPathMatcher(/^\/(?:embed\/)?((?:track|album|playlist|episode|show|artist)\/\w{22})\/?$/, {
      url: 'https://open.spotify.com/{id}',
      frame: 'https://open.spotify.com/embed/{id}',
    }),
    oembed: 'https://open.spotify.com/oembed?url=',
  },
  {
    site: 'Figma',
    shape: 'tall',
    hosts: ['www.figma.com', 'figma.com'],
    find: createPathMatcher(/^\/((?:file|design|proto|board)\/\w{1,64})(?:\/|$)/, {
      url: 'https://www.figma.com/{id}',
      frame: 'https://www.figma.com/embed?embed_host=octavo&url=https%3A%2F%2Fwww.figma.com%2F{id}',
    }),
    oembed: 'https://www.figma.com/api/oembed?url=',
  },
  {
    site: 'CodePen',
    shape: 'tall',
    hosts: ['codepen.io'],
    find: ({ pathname }) => {
      const [, user, pen] = /^\/([\w-]{1,64})\/(?:pen|embed|full|details)\/(\w{1,64})\/?$/.exec(pathname) ?? [];
      if (user === undefined || pen === undefined) return undefined;
      return { url: `https://codepen.io/${user}/pen/${pen}`, frame: `https://codepen.io/${user}/embed/${pen}` };
    },
    oembed: 'https://codepen.io/api/oembed?format=json&url=',
  },
  {
    site: 'CodeSandbox',
    shape: 'tall',
    hosts: ['codesandbox.io'],
    find: createPathMatcher(/^\/(?:s|embed)\/([\w-]{1,128})\/?$/, {
      url: 'https://codesandbox.io/s/{id}',
      frame: 'https://codesandbox.io/embed/{id}',
    }),
    oembed: 'https://codesandbox.io/oembed?url=',
  },
  {
    site: 'StackBlitz',
    shape: 'tall',
    hosts: ['stackblitz.com'],
    find: createPathMatcher(/^\/(edit\/[\w-]{1,128}|github\/[\w.-]{1,64}\/[\w.-]{1,128})\/?$/, {
      url: 'https://stackblitz.com/{id}',
      frame: 'https://stackblitz.com/{id}?embed=1',
    }),
  },
  {
    site: 'Google Maps',
    shape: 'tall',
    hosts: ['www.google.com'],
    find: ({ pathname, searchParams }) => {
      const mapData = searchParams.get('pb');
      if (pathname !== '/maps/embed' || mapData === null || !/^[\w!.:%-]{1,1500}$/.test(mapData)) return undefined;
      const url = `https://www.google.com/maps/embed?pb=${encodeURIComponent(mapData)}`;
      return { url, frame: url };
    },
  },
  {
    site: 'GitHub Gist',
    hosts: ['gist.github.com'],
    find: createPathMatcher(/^\/([\w-]{1,64}\/[0-9a-f]{20,40})\/?$/, { url: 'https://gist.github.com/{id}' }),
  },
];

const byHost = new Map(providers.flatMap((provider) => provider.hosts.map((host) => [host, provider] as const)));

/**
 * Returns the resource at an address if its provider is known. The result is built from the provider table and from
 * parts of the address that the table validates, so it is safe in HTML.
 */
export function findEmbed(url: URL): ProvidedResource | undefined {
  const provider = byHost.get(url.hostname);
  const embed = provider?.find(url);
  if (provider === undefined || embed === undefined) return undefined;
  const { site, oembed, shape = 'video' } = provider;
  return {
    site,
    shape,
    ...embed,
    ...(oembed === undefined ? {} : { oembed: `${oembed}${encodeURIComponent(embed.url)}` }),
  };
}
