# Stores one backup of the fleet's database in BACKUP_FOLDER and keeps the newest BACKUP_KEEP of them.
set -eu
umask 077
cd "$BACKUP_FOLDER"
url=$(cat "$DATABASE_URL_FILE")
name="fleet-$(date -u +%Y%m%dT%H%M%SZ).dump"
rm -f fleet-*.dump.part
pg_dump --dbname="$url" --no-password --format=custom --file="$name.part"
# Reads it to its end: one that cannot be read is not a backup.
pg_restore --file=/dev/null "$name.part"
mv "$name.part" "$name"
echo "stored $name, $(wc -c <"$name") bytes"
ls -1 fleet-*.dump | sort -r | tail -n "+$((BACKUP_KEEP + 1))" | while read -r old; do
  rm "$old"
  echo "removed $old"
done
