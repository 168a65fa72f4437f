package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// Arguments: the path of a file, its language, and a JSON list of [id, count].
func main() {
	bundle := i18n.NewBundle(language.English)
	bundle.MustLoadMessageFile(os.Args[1])
	var questions [][]interface{}
	if err := json.Unmarshal([]byte(os.Args[3]), &questions); err != nil {
		panic(err)
	}
	localizer := i18n.NewLocalizer(bundle, os.Args[2])
	answers := []string{}
	for _, question := range questions {
		config := &i18n.LocalizeConfig{MessageID: question[0].(string)}
		if question[1] != nil {
			config.PluralCount = int(question[1].(float64))
		}
		answers = append(answers, localizer.MustLocalize(config))
	}
	content, _ := json.Marshal(answers)
	fmt.Println(string(content))
}
