import type { Pdf, Reference } from './pdfkit.ts';

interface Jpeg {
  width: number;
  height: number;
  rotation: 0 | 90 | 180 | 270;
  embed(pdf: Pdf): Reference;
}

const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
const TURNS: Record<number, 90 | 180 | 270> = { 3: 180, 6: 90, 8: 270 };
const SPACES: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' };

/** Reads the properties of a JPEG. Its bytes are embedded unchanged. */
export function readJpeg(bytes: Uint8Array): Jpeg | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let rotation: Jpeg['rotation'] = 0;
  let isAdobe = false;
  for (let position = 2; position + 4 <= bytes.length; ) {
    const marker = view.getUint8(position + 1);
    if (view.getUint8(position) !== 0xff) return undefined;
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    const length = view.getUint16(position + 2);
    if (length < 2 || position + 2 + length > bytes.length) return undefined;
    const segment = bytes.subarray(position + 4, position + 2 + length);
    if (marker === 0xe1) rotation = TURNS[getOrientation(segment)] ?? rotation;
    if (marker === 0xee) isAdobe = true;
    if (FRAMES.has(marker)) return createJpeg(bytes, segment, { rotation, isAdobe });
    if (marker === 0xda || (marker >= 0xc3 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc)) return undefined;
    position += 2 + length;
  }
  return undefined;
}

function createJpeg(
  bytes: Uint8Array,
  segment: Uint8Array,
  { rotation, isAdobe }: { rotation: Jpeg['rotation']; isAdobe: boolean },
): Jpeg | undefined {
  const [bits = 0, h1 = 0, h0 = 0, w1 = 0, w0 = 0, channels = 0] = segment;
  const [width, height, space] = [w1 * 256 + w0, h1 * 256 + h0, SPACES[channels]];
  if (space === undefined || bits !== 8) return undefined;
  const embed = (pdf: Pdf): Reference => {
    const image = pdf.ref({
      Type: 'XObject',
      Subtype: 'Image',
      Width: width,
      Height: height,
      BitsPerComponent: 8,
      ColorSpace: space,
      Filter: 'DCTDecode',
      ...(channels === 4 && isAdobe && { Decode: [1, 0, 1, 0, 1, 0, 1, 0] }),
    });
    image.end(bytes);
    return image;
  };
  return { width, height, rotation, embed };
}

/** Returns the EXIF orientation, 1 if upright. */
function getOrientation(segment: Uint8Array): number {
  if (String.fromCharCode(...segment.subarray(0, 6)) !== 'Exif\0\0' || segment.length < 16) return 1;
  const view = new DataView(segment.buffer, segment.byteOffset + 6, segment.length - 6);
  const isLittle = view.getUint16(0) === 0x4949;
  const start = view.getUint32(4, isLittle);
  if (start + 2 > view.byteLength) return 1;
  const count = view.getUint16(start, isLittle);
  for (let index = 0; index < count; index += 1) {
    const entry = start + 2 + index * 12;
    if (entry + 12 > view.byteLength) return 1;
    if (view.getUint16(entry, isLittle) === 0x0112) return view.getUint16(entry + 8, isLittle);
  }
  return 1;
}
