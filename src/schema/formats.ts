import {
  isAsciiIdn,
  isDate,
  isDateTime,
  isDuration,
  isEmail,
  isIdn,
  isIdnEmail,
  isIPv4,
  isIPv6,
  isIri,
  isIriReference,
  isJsonPointer,
  isRegex,
  isRelativeJsonPointer,
  isTime,
  isUri,
  isUriReference,
  isUriTemplate,
  isUuid,
} from '@hyperjump/json-schema-formats';

/** The formats of draft 2020-12, for those who want them asserted; by default they are annotations. */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['date-time', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hostname', isAsciiIdn],
  ['idn-email', isIdnEmail],
  ['idn-hostname', isIdn],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['iri', guarded(isIri)],
  ['iri-reference', guarded(isIriReference)],
  ['json-pointer', isJsonPointer],
  ['regex', isRegex],
  ['relative-json-pointer', isRelativeJsonPointer],
  ['time', isTimeOfSomeDay],
  ['uri', guarded(isUri)],
  ['uri-reference', guarded(isUriReference)],
  ['uri-template', isUriTemplate],
  ['uuid', isUuid],
]);

/** A leap second is right on some dates only, and a time has no date: the last one known, seen from either side of it. */
function isTimeOfSomeDay(text: string): boolean {
  return isTime(text) || isDateTime(`2016-12-31T${text}`) || isDateTime(`2017-01-01T${text}`);
}

/** The parser of URIs throws for an IP address of a version to come, which nobody could reach either. */
function guarded(holds: (text: string) => boolean): (text: string) => boolean {
  return (text) => {
    try {
      return holds(text);
    } catch {
      return false;
    }
  };
}
