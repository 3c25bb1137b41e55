/* Behaviors of the elements in a drawn document, for the app. */
import { CodeBlock } from './code-block.ts';
import { MermaidDiagram } from './mermaid-diagram.ts';
import { closePopoversOnFocusLeave } from './popovers.ts';
import { TabSet } from './tab-set.ts';
import { ZoomImage } from './zoom-image.ts';

let areDefined = false;

/** Defines the elements that documents contain, unless they are defined. */
export function defineDocumentElements(): void {
  if (areDefined) return;
  areDefined = true;
  customElements.define('code-block', CodeBlock);
  customElements.define('zoom-image', ZoomImage);
  customElements.define('mermaid-diagram', MermaidDiagram);
  customElements.define('tab-set', TabSet);
  closePopoversOnFocusLeave();
}
