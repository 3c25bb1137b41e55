/**
 * A module for the local buckets: what a stream of the runtime gives to a transformation in JavaScript comes in pieces of
 * this size, and not of 4 KiB, where each costs more than its bytes do. The hashing of all that is stored is such a one.
 */
export const largerPieces = `
const pieceBytes = 256 * 1024;
const { pipeThrough } = ReadableStream.prototype;

ReadableStream.prototype.pipeThrough = function (transform, options) {
  const source = transform instanceof IdentityTransformStream ? this : inLargerPieces(this);
  return pipeThrough.call(source, transform, options);
};

function inLargerPieces(stream) {
  const reader = stream.getReader({ mode: 'byob' });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.readAtLeast(pieceBytes, new Uint8Array(pieceBytes));
      if (value !== undefined && value.byteLength > 0) controller.enqueue(value);
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
`;
