/** The endings of file names by type. */
const ENDINGS: Record<string, string> = {
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
  "image/avif": ".avif",
  "audio/mpeg": ".mp3",
  "audio/mp4": ".m4a",
  "audio/aac": ".aac",
  "audio/ogg": ".ogg",
  "audio/wav": ".wav",
  "audio/flac": ".flac",
  // Few players know `.weba`.
  "audio/webm": ".webm",
  "video/mp4": ".mp4",
  "video/webm": ".webm",
};

/** Returns the ending of a saved file's name, with its dot. Empty for any other type. */
export const fileEnding = (content_type: string): string => ENDINGS[content_type] ?? "";
