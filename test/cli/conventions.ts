/** A PNG of 1 × 1 pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export type Files = Record<string, string | Buffer>;

export interface Convention {
  files: Files;
  /**
   * Paths for a new page below the guide, a new top-level page and a new picture, and the URL of the picture in the
   * page.
   */
  below: string;
  top: string;
  picture: string;
  address: string;
  /** The summary that lists new pages, or the warning if the configuration cannot list them. */
  summary?: string;
  told?: string;
  /** Whether the site generator reads titles from the frontmatter. */
  isTitled?: true;
}

/** Returns a home page, a guide and a page below it. */
const createPages = (root: string, index: string): Files => ({
  [`${root}${index}`]: '# Home\n',
  [`${root}guide/${index}`]: '---\nlayout: 7\n---\n\n# Guide\r\n',
  [`${root}guide/start.md`]: '\ufeff# Start\n\nNo final newline',
});

/** A small repository for each convention. */
export const conventions: Record<string, Convention> = {
  gitbook: {
    files: {
      '.gitbook.yaml': 'root: ./docs/ # of docs\n',
      'docs/SUMMARY.md':
        '# Summary\n\n- [Home](README.md)\n-  [Guide](guide/README.md#top)\n   - [Start](guide/start.md)\n',
      ...createPages('docs/', 'README.md'),
      'docs/.gitbook/assets/a b.png': png,
      'docs/.gitbook/includes/part.md': 'A part of [it](../../guide/start.md).\n',
      'docs/.gitbook/vars.yaml': '# kept\nproduct: "Kettle"\n',
    },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'docs/.gitbook/assets/new.png' },
    address: '../.gitbook/assets/new.png',
    summary: 'docs/SUMMARY.md',
  },
  'gitbook without a summary': {
    files: { '.gitbook.yaml': 'root: ./docs/\n', ...createPages('docs/', 'README.md') },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'docs/.gitbook/assets/new.png' },
    address: '../.gitbook/assets/new.png',
  },
  mdbook: {
    files: {
      'book.toml': '[book]\ntitle = "x"\n',
      'src/SUMMARY.md': '# Summary\n\n[Home](README.md)\n\n- [Guide](guide/README.md)\n    - [Start](guide/start.md)\n',
      ...createPages('src/', 'README.md'),
    },
    ...{ below: 'src/guide/under.md', top: 'src/top.md', picture: 'src/files/new.png' },
    address: '../files/new.png',
    summary: 'src/SUMMARY.md',
  },
  docusaurus: {
    files: {
      'docusaurus.config.js':
        "module.exports = { presets: [['classic', { docs: { sidebarPath: './sidebars.js' } }]] };\n",
      'sidebars.js':
        "module.exports = { docs: ['index', { type: 'category', label: 'Guide', link: { type: 'doc', id: 'guide/index' }, items: ['guide/start'] }] };\n",
      ...createPages('docs/', 'index.md'),
      'docs/guide/_category_.json': '{ "label": "Not gone by" }\n',
      'blog/authors.yml': 'ann:\n  name: Ann\n',
      'blog/2020-01-02-post.md': '# Post\n\n![p](/img/p.png)\n',
      'static/img/p.png': png,
    },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'static/new.png', address: '/new.png' },
    told: 'sidebars.js',
  },
  vitepress: {
    files: {
      'docs/.vitepress/config.mts':
        "import { items } from './items'\nexport default { base: '/b/', themeConfig: { sidebar: [{ text: 'Guide', link: '/guide/', items }] } }\n",
      'docs/.vitepress/items.ts': "export const items = [{ text: 'Start', link: '/guide/start' }]\n",
      ...createPages('docs/', 'index.md'),
      'docs/public/p.png': png,
    },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'docs/public/new.png', address: '/new.png' },
    told: 'docs/.vitepress/config.mts',
  },
  starlight: {
    isTitled: true,
    files: {
      'astro.config.mjs': "export default { base: '/b', integrations: [starlight({})] }\n",
      ...createPages('src/content/docs/', 'index.md'),
    },
    ...{ below: 'src/content/docs/guide/under.md', top: 'src/content/docs/top.md', picture: 'public/new.png' },
    address: '/b/new.png',
  },
  mkdocs: {
    files: {
      'mkdocs.yml': 'docs_dir: manual\nnav:\n  - index.md\n  - Guide:\n    - guide/index.md\n    - guide/start.md\n',
      ...createPages('manual/', 'index.md'),
    },
    ...{ below: 'manual/guide/under.md', top: 'manual/top.md', picture: 'manual/files/new.png' },
    address: '../files/new.png',
    told: 'mkdocs.yml',
  },
  hugo: {
    isTitled: true,
    files: {
      'hugo.toml': 'baseURL = "https://example.com/h"\n',
      ...createPages('content/', '_index.md'),
      'static/p.png': png,
    },
    ...{ below: 'content/guide/under.md', top: 'content/top.md', picture: 'static/new.png', address: '/h/new.png' },
  },
  jekyll: {
    isTitled: true,
    files: { '_config.yml': 'baseurl: /j\n', ...createPages('', 'index.md'), 'assets/p.png': png },
    ...{ below: 'guide/under.md', top: 'top.md', picture: 'assets/new.png', address: '/j/assets/new.png' },
  },
  folders: {
    files: { ...createPages('', 'README.md'), 'files/p.png': png },
    ...{ below: 'guide/under.md', top: 'top.md', picture: 'files/new.png', address: '../files/new.png' },
  },
};
