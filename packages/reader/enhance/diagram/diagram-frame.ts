import type { DiagramRequest, DrawnDiagram } from './drawn-diagram.ts';

let opened: Promise<Window> | undefined;

/** The frame that draws all diagrams of the page: it is opened for the first of them. */
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

/** Has a diagram drawn by the frame at an address. */
export async function drawDiagram(address: string, request: DiagramRequest): Promise<DrawnDiagram> {
  opened ??= openFrame(address);
  const frame = await opened;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<DrawnDiagram>) => resolve(data);
    // The frame has no origin that could be named.
    frame.postMessage(request, '*', [port2]);
  });
}
