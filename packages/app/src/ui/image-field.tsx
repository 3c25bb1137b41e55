import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiRequestError } from '../api.ts';
import { uploadFile } from '../upload.ts';
import { Field } from './dialog.tsx';
import { UiIcon } from './icon.tsx';
import { notifyError } from './notice.tsx';

interface UploadedImage {
  name: string;
  /** The URL of the image in this browser, because the URL of an upload cannot be read. */
  preview: string;
}

/** The images that were uploaded since the app was loaded, by the URLs of the uploads. */
const uploadedImages = new Map<string, UploadedImage>();

/** Returns an address that the browser can show. Undefined if `url` is neither an HTTP(S) URL nor a known upload. */
export const getImageAddress = (url: string): string | undefined =>
  uploadedImages.get(url)?.preview ?? (isWebUrl(url) ? url : undefined);

const isWebUrl = (url: string): boolean => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** Returns whether the browser can show the image at an address. */
const isImage = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = address;
  });

const maxImageBytes = 5 * 1024 * 1024;

interface ImageFieldProps {
  label: string;
  hint?: ComponentChildren;
  /** The URL of the image or of an upload; empty if there is no image. */
  value: string;
  onChange: (url: string) => void;
  /** The organization that stores uploads. Without one, only a URL can be entered. */
  organization: string | undefined;
}

/** An image: an uploaded file, or the URL of an image. */
export function ImageField({ label, hint, value, onChange, organization }: ImageFieldProps): VNode {
  const address = getImageAddress(value.trim());
  const uploaded = uploadedImages.get(value);
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <span class="image-field">
          {address !== undefined && <ImagePreview key={address} address={address} />}
          {uploaded === undefined ? (
            <UrlInput {...{ ids, value, onChange }} />
          ) : (
            <output {...ids}>{uploaded.name}</output>
          )}
          {organization !== undefined && <UploadButton {...{ label, organization, onChange }} />}
          {value !== '' && (
            <button type="button" class="icon-button" aria-label={`Remove: ${label}`} onClick={() => onChange('')}>
              <UiIcon name="close" />
            </button>
          )}
        </span>
      )}
    </Field>
  );
}

/** The image, or a message if it cannot be loaded. */
function ImagePreview({ address }: { address: string }): VNode {
  const [isBroken, setBroken] = useState(false);
  return isBroken ? (
    <span class="image-broken" role="img" aria-label="The image cannot be loaded" title="The image cannot be loaded">
      <UiIcon name="warning" />
    </span>
  ) : (
    <img src={address} alt="" referrerpolicy="no-referrer" onError={() => setBroken(true)} />
  );
}

interface UrlInputProps extends Pick<ImageFieldProps, 'value' | 'onChange'> {
  ids: { id: string; 'aria-describedby'?: string };
}

function UrlInput({ ids, value, onChange }: UrlInputProps): VNode {
  const text = value.trim();
  const problem = text === '' || isWebUrl(text) ? '' : 'Enter a URL that starts with https:// or http://.';
  return (
    <input
      class="input"
      {...ids}
      ref={(input) => input?.setCustomValidity(problem)}
      inputMode="url"
      placeholder="https://"
      maxLength={2048}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface UploadButtonProps {
  label: string;
  organization: string;
  onChange: (url: string) => void;
}

function UploadButton({ label, organization, onChange }: UploadButtonProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // The form may have changed when the upload has ended, so call the function of the latest render.
  const latest = useRef(onChange);
  latest.current = onChange;
  const upload = async (file: globalThis.File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > maxImageBytes)
      return notifyError(new ApiRequestError(0, 'The image is larger than 5 MiB. Choose a smaller one.'));
    setBusy(true);
    const preview = URL.createObjectURL(file);
    try {
      if (!(await isImage(preview))) throw new ApiRequestError(0, `${file.name} is not an image. Choose another file.`);
      const { url } = await uploadFile(organization, file);
      uploadedImages.set(url, { name: file.name, preview });
      latest.current(url);
    } catch (error) {
      URL.revokeObjectURL(preview);
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        class="button"
        aria-label={`Upload: ${label}`}
        disabled={isBusy}
        onClick={() => input.current?.click()}
      >
        <UiIcon name="upload" />
        {isBusy ? 'Uploading …' : 'Upload'}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/*"
        aria-label={`Upload: ${label}`}
        onChange={({ currentTarget }) => {
          void upload(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
