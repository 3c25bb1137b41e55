#!/bin/sh
# Runs the server, and restarts it if it crashes or hangs after its first start was complete. The server reports that it is
# up by creating the file "up" in the folder OCTAVO_WATCH, and responds to a health check by deleting the file "asked".
# A signal always stops the server, even if it hangs. This is a shell script because a waiting shell needs little memory.

root=$(cd "$(dirname "$0")/.." && pwd)
node=${OCTAVO_NODE:-$root/node_modules/node/bin/node}
script=${OCTAVO_SCRIPT:-$root/scripts/start.ts}
patience=${OCTAVO_PATIENCE_SECONDS:-60}
most=5
within=600
stop_patience=10

folder=$(mktemp -d "${TMPDIR:-/tmp}/octavo-watch-XXXXXX") || exit 1
export OCTAVO_WATCH="$folder"
# The server stops when the process with this id is gone.
export OCTAVO_WATCHER=$$
child=''
stopping=''
was_up=''
starts=''
trap 'rm -rf "$folder"' EXIT
# Closing the terminal must not stop the server.
exec 3>&2
trap '' PIPE
say() { echo "$1" >&3 || :; }

stop() {
  [ -z "$stopping" ] || return 0
  stopping=1
  [ -n "$child" ] || exit 1
  kill -s "$1" "$child" 2> /dev/null
  (
    sleep "$stop_patience" 2> /dev/null 3>&-
    kill -0 "$child" 2> /dev/null || exit 0
    say "Octavo did not stop within $stop_patience s and was killed. Acknowledged writes are not lost."
    kill -9 "$child"
  ) > /dev/null &
  killer=$!
}
for signal in INT TERM HUP; do trap "stop $signal" "$signal"; done

ask() {
  missed=0
  while sleep "$1" && kill -0 "$child"; do
    if [ ! -e "$folder/up" ]; then continue; fi
    if [ -e "$folder/asked" ]; then missed=$((missed + 1)); else missed=0; fi
    : > "$folder/asked" || exit 0
    if [ "$missed" -ge 3 ]; then
      echo "did not respond for $patience s" > "$folder/hung"
      kill -9 "$child"
    fi
  done
}

wait_for() {
  while :; do
    { wait "$1"; } 2> /dev/null
    code=$?
    kill -0 "$1" 2> /dev/null || return 0
  done
}

ended() {
  if [ -e "$folder/hung" ]; then cat "$folder/hung"
  elif [ "$code" -gt 128 ]; then echo "stopped unexpectedly (SIG$(kill -l $((code - 128))))"
  else echo "stopped unexpectedly (exit code $code)"; fi
}

is_too_often() {
  now=$(date +%s)
  recent=''
  count=1
  for then in $starts; do
    if [ $((now - then)) -lt "$within" ]; then recent="$recent $then" count=$((count + 1)); fi
  done
  starts="$recent $now"
  [ "$count" -gt "$most" ]
}

# The server itself reports an invalid value when it reads its settings.
interval=$(LC_ALL=C awk -v seconds="$patience" 'BEGIN { third = (seconds + 0 > 0 ? seconds : 60) / 3
  if (third >= 1) printf "%d", third; else printf "%.2f", third }')
while :; do
  rm -f "$folder/up" "$folder/asked" "$folder/hung"
  "$node" "$script" "$@" 3>&- &
  child=$!
  [ -z "$stopping" ] || kill "$child"
  ask "$interval" > /dev/null 2>&1 3>&- &
  watcher=$!
  wait_for "$child"
  kill "$watcher" 2> /dev/null
  [ -z "$stopping" ] || kill "$killer" 2> /dev/null
  child=''
  [ ! -e "$folder/up" ] || was_up=1
  if [ -n "$stopping" ] || [ "$code" -eq 0 ] || [ -z "$was_up" ]; then exit "$code"; fi
  reason=$(ended)
  if is_too_often; then
    say "Octavo $reason and was restarted $most times in ten minutes. It is not restarted again."
    exit 1
  fi
  say "Octavo $reason and is being restarted."
  export OCTAVO_RESTARTED="$reason"
  sleep 1 3>&-
  [ -z "$stopping" ] || exit 1
done
