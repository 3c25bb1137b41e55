import type { ComponentChildren } from 'preact';

interface CustomElement {
  class?: string;
  children?: ComponentChildren;
  [data: `data-${string}`]: string | undefined;
}

/** The elements whose behaviour is in `enhance/`: each holds what is there without it. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'theme-switch': CustomElement;
      'site-search': CustomElement;
      'page-outline': CustomElement;
      'code-block': CustomElement;
      'copy-text': CustomElement;
      'tab-set': CustomElement;
      'embed-frame': CustomElement;
      'zoom-image': CustomElement;
      'test-request': CustomElement;
      'mermaid-diagram': CustomElement;
    }
  }
}
