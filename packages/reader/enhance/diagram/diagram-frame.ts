import type { DiagramRequest, RenderedDiagram } from './drawn-diagram.ts';

let windowPromise: Promise<Window> | undefined;

/** Opens the frame that draws all diagrams of the page, on first use. */
function openFrame(address: string): Promise<Window> {
  const frame = document.createElement('iframe');
  frame.className = 'drawing-board';
  frame.title = '';
  frame.tabIndex = -1;
  frame.setAttribute('aria-hidden', 'true');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = address;
  return new Promise((resolve) => {
    window.addEventListener('message', ({ source, data }) => {
      if (data === 'octavo-diagrams' && source === frame.contentWindow && frame.contentWindow !== null)
        resolve(frame.contentWindow);
    });
    document.body.append(frame);
  });
}

/** Draws a diagram in the frame at `address`. */
export async function drawDiagram(address: string, request: DiagramRequest): Promise<RenderedDiagram> {
  windowPromise ??= openFrame(address);
  const frame = await windowPromise;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<RenderedDiagram>) => resolve(data);
    // The sandboxed frame has an opaque origin, so no target origin can be given.
    frame.postMessage(request, '*', [port2]);
  });
}
