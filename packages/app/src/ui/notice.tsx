import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toMessage } from '../api.ts';

interface Notice {
  text: string;
  isError: boolean;
}

let show: ((notice: Notice) => void) | undefined;

/** Shows a short message that disappears by itself. */
export const notify = (text: string): void => show?.({ text, isError: false });

/** Shows the message of an error. */
export const notifyError = (error: unknown): void => show?.({ text: toMessage(error), isError: true });

const noticeMilliseconds = 6000;

/** The place where messages are shown. Screen readers announce them. */
export function NoticeArea(): VNode {
  const [notice, setNotice] = useState<Notice>();
  useEffect(() => {
    show = setNotice;
    return () => {
      show = undefined;
    };
  }, []);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), noticeMilliseconds);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="status">
      {notice !== undefined && (
        <p class={notice.isError ? 'notice error' : 'notice'} key={notice.text}>
          {notice.text}
        </p>
      )}
    </div>
  );
}
