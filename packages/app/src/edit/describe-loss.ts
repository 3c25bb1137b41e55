interface EditedText {
  autosave: { isStoredAnywhere: boolean };
  editor: { isUploading: () => boolean };
}

/** Returns a question that names what is lost if the user leaves the editor; undefined if nothing would be lost. */
export function describeLoss({ autosave, editor }: EditedText): string | undefined {
  if (!autosave.isStoredAnywhere)
    return 'Your last changes are not sent yet, and this browser has no space to keep them. Leave this page and lose them?';
  return editor.isUploading() ? 'A file is still being uploaded. Leave this page and cancel the upload?' : undefined;
}
