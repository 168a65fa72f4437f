<?php
// Arguments: the path of a file, its language, and a JSON list of [key, count].
require '/usr/share/php/Illuminate/Translation/autoload.php';
[, $path, $language, $questions] = $argv;
$lines = json_decode(file_get_contents($path), true, flags: JSON_THROW_ON_ERROR);
$selector = new Illuminate\Translation\MessageSelector;
$answers = [];
foreach (json_decode($questions) as [$key, $count]) {
    $line = $lines[$key];
    $answers[] = $count === null ? $line : $selector->choose($line, $count, $language);
}
echo json_encode($answers, JSON_UNESCAPED_UNICODE);
