/* The behaviours of a page: each works without the others, and the page without all. */
import { CopyCode } from './copy-code.ts';
import { CopyText } from './copy-text.ts';
import { PageOutline } from './page-outline.ts';
import { SiteSearch } from './site-search.ts';
import { TabSet } from './tab-set.ts';
import { TestRequest } from './test-request.ts';
import { ThemeSwitch } from './theme-switch.ts';

customElements.define('copy-code', CopyCode);
customElements.define('copy-text', CopyText);
customElements.define('page-outline', PageOutline);
customElements.define('site-search', SiteSearch);
customElements.define('tab-set', TabSet);
customElements.define('test-request', TestRequest);
customElements.define('theme-switch', ThemeSwitch);
