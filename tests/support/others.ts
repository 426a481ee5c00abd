/**
 * Returns a check whether the event loop has answered anything else since now. Work that only waits for promises of the same
 * process keeps everything else waiting, however long it takes.
 */
export function watchOthers(): () => boolean {
  let have_run = false;
  setTimeout(() => {
    have_run = true;
  });
  return () => have_run;
}
