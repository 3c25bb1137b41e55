/** Collects bytes in a buffer that grows. */
export class ByteWriter {
  #bytes = new Uint8Array(64);
  length = 0;

  writeByte(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length] = value;
    this.length += 1;
  }

  /** Writes a whole number from 0 to 2^31 in seven bits per byte. */
  writeNumber(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.writeByte((rest & 127) | 128);
      rest >>>= 7;
    }
    this.writeByte(rest);
  }

  writeBytes(bytes: ArrayLike<number>): void {
    if (this.length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  getBytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(by: number): void {
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + by));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }
}

/** Appends a whole number to a short list of bytes, as `ByteWriter` does. */
export function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
}

/** Reads what `ByteWriter` wrote. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#bytes.length;
  }

  readByte(): number {
    const value = this.#bytes[this.position] ?? 0;
    this.position += 1;
    return value;
  }

  readNumber(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.readByte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  readBytes(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.position, this.position + length);
    this.position += length;
    return bytes;
  }
}

const maxArguments = 8192;

/** Encodes bytes in base64, because D1 returns binary columns as arrays of numbers. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += maxArguments)
    parts.push(String.fromCharCode.apply(null, bytes.subarray(start, start + maxArguments) as unknown as number[]));
  return btoa(parts.join(''));
}

export function decodeBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
