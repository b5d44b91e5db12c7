/** Whether this is the media type of JSON: `application/json` without regard to case or parameters. */
export const isJson = (mediaType: string): boolean =>
  mediaType === 'application/json' || mediaType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
