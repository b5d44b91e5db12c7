import type { Artifact, Part } from '../domain/message.js';

/** An artifact in one line of plain words: its name, and of each part the file name, media type and size. */
export function describeArtifact({
  artifactId,
  name,
  parts,
}: Pick<Artifact, 'artifactId' | 'name' | 'parts'>): string {
  return `${name ?? artifactId}: ${parts.map(describePart).join('; ')}`;
}

function describePart(part: Part): string {
  const named = part.filename === undefined ? '' : `${part.filename}, `;
  switch (part.kind) {
    case 'text':
      return `${named}${part.mediaType ?? 'text/plain'}, ${Buffer.byteLength(part.text)} bytes`;
    case 'raw':
      return `${named}${part.mediaType ?? 'application/octet-stream'}, ${part.bytes.length} bytes`;
    case 'url':
      return `${named}${part.mediaType === undefined ? '' : `${part.mediaType}, `}${part.url}`;
    case 'data':
      return `${named}${part.mediaType ?? 'application/json'}, ${Buffer.byteLength(part.json)} bytes`;
  }
}
