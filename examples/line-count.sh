#!/bin/sh
# Counts lines. Serve it with
#
#   kedi-a2a serve --agent command --agent-options '{"command": ["examples/line-count.sh"]}'
#
# The prompt comes on stdin and the answer goes to stdout. For a typed request KEDI_SCHEMA_FILE names a file that holds
# the client's JSON Schema, and stdout is to be one JSON document and nothing else.
lines=$(grep -c '')
if [ -n "$KEDI_SCHEMA_FILE" ]; then
  echo "{\"lines\": $lines}"
else
  echo "You wrote $lines lines."
fi
