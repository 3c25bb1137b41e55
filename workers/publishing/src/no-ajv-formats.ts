/** Replaces ajv-formats in the bundle, because ajv itself is replaced. */
export default function addFormats(): void {}
