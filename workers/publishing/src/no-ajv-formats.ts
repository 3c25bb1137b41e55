/** Stands for the formats of the validator that is left out. */
export default function addFormats(): void {}
