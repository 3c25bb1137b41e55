/* Behaviors of a page. Each works without the others, and the page works without all of them. */
import { CodeBlock } from './code-block.ts';
import { CopyText } from './copy-text.ts';
import { showCurrentEntries } from './current-entry.ts';
import { EmbedFrame } from './embed-frame.ts';
import { MermaidDiagram } from './mermaid-diagram.ts';
import { openTargets } from './open-target.ts';
import { PageOutline } from './page-outline.ts';
import { closePopoversOnFocusLeave } from './popovers.ts';
import { SiteSearch } from './site-search.ts';
import { TabSet } from './tab-set.ts';
import { TestRequest } from './test-request.ts';
import { ThemeSwitch } from './theme-switch.ts';
import { ZoomImage } from './zoom-image.ts';

customElements.define('code-block', CodeBlock);
customElements.define('copy-text', CopyText);
customElements.define('embed-frame', EmbedFrame);
customElements.define('zoom-image', ZoomImage);
customElements.define('mermaid-diagram', MermaidDiagram);
customElements.define('page-outline', PageOutline);
customElements.define('site-search', SiteSearch);
customElements.define('tab-set', TabSet);
customElements.define('test-request', TestRequest);
customElements.define('theme-switch', ThemeSwitch);
closePopoversOnFocusLeave();
openTargets();
showCurrentEntries();
