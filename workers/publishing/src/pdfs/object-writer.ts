/** Parts of an upload are equal, but for the last one, and of 5 MiB at least. */
const partBytes = 5 * 1024 * 1024;

interface UploadDestination {
  bucket: R2Bucket;
  key: string;
  /** Told of the upload before its first part, so that somebody may give it up should this run end. */
  onUpload(id: string): Promise<void>;
}

/** Writes an object of unknown length in parts, of which one is in memory; one that is small, at once. */
export class ObjectWriter {
  readonly #target: UploadDestination;
  readonly #part = new Uint8Array(partBytes);
  readonly #uploaded: R2UploadedPart[] = [];
  #filled = 0;
  #upload: R2MultipartUpload | undefined;
  /** All that was written. */
  bytes = 0;

  constructor(target: UploadDestination) {
    this.#target = target;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.bytes += chunk.length;
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filled === partBytes) await this.#send();
      const piece = rest.subarray(0, partBytes - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  /** Nothing is there to be read before this. */
  async finish(): Promise<void> {
    const { bucket, key } = this.#target;
    if (this.#upload === undefined) {
      await bucket.put(key, this.#part.subarray(0, this.#filled));
      return;
    }
    await this.#send();
    await this.#upload.complete(this.#uploaded);
  }

  async abort(): Promise<void> {
    await this.#upload?.abort();
  }

  async #send(): Promise<void> {
    this.#upload ??= await this.#begin();
    const part = this.#part.slice(0, this.#filled);
    this.#uploaded.push(await this.#upload.uploadPart(this.#uploaded.length + 1, part));
    this.#filled = 0;
  }

  async #begin(): Promise<R2MultipartUpload> {
    const { bucket, key, onUpload } = this.#target;
    const upload = await bucket.createMultipartUpload(key);
    await onUpload(upload.uploadId);
    return upload;
  }
}
